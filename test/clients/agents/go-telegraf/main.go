// A Telegraf of the parts that the test needs: pages are scraped and go out by remote write.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/influxdata/telegraf/agent"
	"github.com/influxdata/telegraf/config"
	_ "github.com/influxdata/telegraf/plugins/inputs/http"
	_ "github.com/influxdata/telegraf/plugins/outputs/http"
	_ "github.com/influxdata/telegraf/plugins/parsers/prometheus"
	_ "github.com/influxdata/telegraf/plugins/serializers/prometheusremotewrite"
)

func main() {
	settings := config.NewConfig()
	if err := settings.LoadAll(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := agent.NewAgent(settings).Run(ctx); err != nil {
		log.Fatal(err)
	}
}
