// In place of an internal module of the collector that not every proxy of Go modules hands out: the functions that its
// OTLP exporter and its OTLP receiver call.
package statusutil

import (
	"net/http"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
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

// When the client should send again, if the status says so.
func GetRetryInfo(st *status.Status) *errdetails.RetryInfo {
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info
		}
	}
	return nil
}
