module go.opentelemetry.io/collector/internal/statusutil

go 1.25.0

require (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260825221802-da73d73af1c5
	google.golang.org/grpc v1.84.0
)
