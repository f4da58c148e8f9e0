// In place of an internal module of the collector that not every proxy of Go modules hands out: the one function that
// its OTLP exporter calls, to tell what a server has answered.
package statusutil

import (
	"net/http"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func NewStatusFromMsgAndHTTPCode(message string, httpCode int) *status.Status {
	switch httpCode {
	case http.StatusBadRequest:
		return status.New(codes.InvalidArgument, message)
	case http.StatusUnauthorized:
		return status.New(codes.Unauthenticated, message)
	case http.StatusForbidden:
		return status.New(codes.PermissionDenied, message)
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return status.New(codes.Unavailable, message)
	default:
		return status.New(codes.Unknown, message)
	}
}
