// A Telegraf of the parts that the tests need: pages are scraped and go out by remote write, and lines of a file go to
// the push API of Loki.
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
	_ "github.com/influxdata/telegraf/plugins/inputs/tail"
	_ "github.com/influxdata/telegraf/plugins/outputs/http"
	_ "github.com/influxdata/telegraf/plugins/outputs/loki"
	_ "github.com/influxdata/telegraf/plugins/parsers/prometheus"
	_ "github.com/influxdata/telegraf/plugins/parsers/value"
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
