module cumulet.test/go-sdk

go 1.24

require github.com/ionos-cloud/sdk-go/v6 v6.3.11

require golang.org/x/oauth2 v0.30.0 // indirect
