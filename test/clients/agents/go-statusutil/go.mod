module go.opentelemetry.io/collector/internal/statusutil

go 1.25.0

require google.golang.org/grpc v1.84.0
