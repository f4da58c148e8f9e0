// The journey of franz-go. See journey.ts for what every journey does and prints.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

type place struct {
	Bootstrap, Ca, Certificate, Key, Name string
	LimitMs                               int
}

var (
	at   place
	ctx  context.Context
	base []kgo.Opt
)

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func client(more ...kgo.Opt) *kgo.Client {
	return must(kgo.NewClient(append(append([]kgo.Opt{}, base...), more...)...))
}

func create(admin *kadm.Client, topic string, partitions int32) kadm.TopicDetail {
	check(must(admin.CreateTopic(ctx, partitions, 3, nil, topic)).Err)
	for { // every broker learns of it a moment later
		found := must(admin.ListTopics(ctx, topic))[topic]
		ready := 0
		for _, one := range found.Partitions {
			if one.Leader >= 0 && one.Err == nil {
				ready++
			}
		}
		if ready == int(partitions) {
			return found
		}
		check(ctx.Err())
	}
}

func produce(topic string, values []string, more ...kgo.Opt) {
	producer := client(append(more, kgo.ProducerLinger(5*time.Millisecond))...)
	defer producer.Close()
	records := []*kgo.Record{}
	for index, value := range values {
		key := []byte(fmt.Sprintf("k%d", index%12))
		records = append(records, &kgo.Record{Topic: topic, Key: key, Value: []byte(value)})
	}
	check(producer.ProduceSync(ctx, records...).FirstErr())
}

// The values of partition 0, from its beginning.
func read(topic string, count int, more ...kgo.Opt) []string {
	beginning := map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}
	consumer := client(append(more, kgo.ConsumePartitions(beginning))...)
	defer consumer.Close()
	values := []string{}
	for len(values) < count {
		fetches := consumer.PollFetches(ctx)
		check(fetches.Err0())
		fetches.EachRecord(func(one *kgo.Record) { values = append(values, string(one.Value)) })
	}
	return values
}

type member struct {
	sync.Mutex
	client   *kgo.Client
	assigned map[int32]bool
	values   map[string]bool
}

func join(topic string, more ...kgo.Opt) *member {
	m := &member{assigned: map[int32]bool{}, values: map[string]bool{}}
	gains := func(_ context.Context, _ *kgo.Client, given map[string][]int32) {
		m.Lock()
		defer m.Unlock()
		for _, one := range given[topic] {
			m.assigned[one] = true
		}
	}
	loses := func(_ context.Context, _ *kgo.Client, taken map[string][]int32) {
		m.Lock()
		defer m.Unlock()
		for _, one := range taken[topic] {
			delete(m.assigned, one)
		}
	}
	m.client = client(append(more, kgo.ConsumerGroup(topic), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.OnPartitionsAssigned(gains),
		kgo.OnPartitionsRevoked(loses), kgo.OnPartitionsLost(loses), kgo.AutoCommitMarks(),
		kgo.HeartbeatInterval(200*time.Millisecond))...)
	return m
}

func (m *member) has() int {
	m.Lock()
	defer m.Unlock()
	return len(m.assigned)
}

func (m *member) poll() {
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	m.client.PollFetches(short).EachRecord(func(one *kgo.Record) {
		m.values[string(one.Value)] = true
		m.client.MarkCommitRecords(one)
	})
}

func (m *member) leave() {
	check(m.client.CommitMarkedOffsets(ctx))
	m.client.Close()
}

func until(holds func() bool, members ...*member) {
	for !holds() {
		check(ctx.Err())
		for _, one := range members {
			one.poll()
		}
	}
}

func all(members ...*member) int {
	values := map[string]bool{}
	for _, one := range members {
		for value := range one.values {
			values[value] = true
		}
	}
	return len(values)
}

func numbered(prefix string, count int) []string {
	values := []string{}
	for index := range count {
		values = append(values, fmt.Sprintf("%s%d", prefix, index))
	}
	return values
}

func group(admin *kadm.Client, label string, more ...kgo.Opt) map[string]any {
	topic := at.Name + "-" + label
	create(admin, topic, 6)
	one := join(topic, more...)
	until(func() bool { return one.has() == 6 }, one)
	produce(topic, numbered("a", 60))
	until(func() bool { return all(one) == 60 }, one)
	two := join(topic, more...)
	until(func() bool { return one.has() == 3 && two.has() == 3 }, one, two)
	produce(topic, numbered("b", 60))
	until(func() bool { return all(one, two) == 120 }, one, two)
	one.leave()
	until(func() bool { return two.has() == 6 }, two)
	produce(topic, numbered("c", 60))
	until(func() bool { return all(one, two) == 180 }, two)
	two.leave()
	committed := int64(0)
	must(admin.FetchOffsets(ctx, topic)).Each(func(one kadm.OffsetResponse) { committed += one.At })
	return map[string]any{"steps": [][]int{{6}, {3, 3}, {6}}, "read": all(one, two), "committed": committed}
}

func transactions(admin *kadm.Client) map[string]any {
	topic := at.Name + "-money"
	create(admin, topic, 1)
	settings := []kgo.Opt{kgo.TransactionalID(at.Name + "-bank"), kgo.TransactionTimeout(20 * time.Second)}
	first := client(settings...)
	defer first.Close()
	for _, outcome := range []string{"kept ", "dropped "} {
		check(first.BeginTransaction())
		for _, value := range numbered(outcome, 5) {
			check(first.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte(value)}).FirstErr())
		}
		check(first.EndTransaction(ctx, kgo.TransactionEndTry(outcome == "kept ")))
	}
	second := client(settings...)
	defer second.Close()
	check(second.BeginTransaction())
	check(second.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("last")}).FirstErr())
	check(second.EndTransaction(ctx, kgo.TryCommit))
	err := first.BeginTransaction()
	if err == nil {
		err = first.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("fenced")}).FirstErr()
	}
	if err == nil {
		err = first.EndTransaction(ctx, kgo.TryCommit)
	}
	isFenced := errors.Is(err, kerr.InvalidProducerEpoch) || errors.Is(err, kerr.ProducerFenced)
	return map[string]any{
		"committed": read(topic, 6, kgo.FetchIsolationLevel(kgo.ReadCommitted())),
		"all":       len(read(topic, 11)),
		"fenced":    isFenced,
	}
}

func administrate(admin *kadm.Client) map[string]any {
	topic := at.Name + "-classic"
	for _, one := range must(admin.UpdatePartitions(ctx, 8, topic)) {
		check(one.Err)
	}
	retention := "3600000"
	change := []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &retention}}
	for _, one := range must(admin.AlterTopicConfigs(ctx, change, topic)) {
		check(one.Err)
	}
	for len(must(admin.ListTopics(ctx, topic))[topic].Partitions) != 8 {
		check(ctx.Err())
	}
	current := ""
	for current != retention {
		for _, one := range must(admin.DescribeTopicConfigs(ctx, topic))[0].Configs {
			if one.Key == "retention.ms" {
				current = one.MaybeValue()
			}
		}
	}
	offsets := kadm.Offsets{}
	offsets.AddOffset(at.Name+"-codecs", 0, 100, -1)
	low := int64(-1)
	must(admin.DeleteRecords(ctx, offsets)).Each(func(one kadm.DeleteRecordsResponse) { low = one.LowWatermark })
	groups := []string{}
	for _, one := range must(admin.ListGroups(ctx)).Groups() {
		if strings.HasPrefix(one, at.Name) {
			groups = append(groups, strings.TrimPrefix(one, at.Name+"-"))
		}
	}
	sort.Strings(groups)
	for _, one := range must(admin.DeleteGroups(ctx, topic)) {
		check(one.Err)
	}
	_, isThere := must(admin.ListGroups(ctx))[topic]
	for _, label := range []string{"codecs", "classic", "money"} {
		check(must(admin.DeleteTopic(ctx, at.Name+"-"+label)).Err)
	}
	return map[string]any{"partitions": 8, "retentionMs": current, "lowWatermark": low, "groups": groups,
		"isGroupGone": !isThere}
}

func main() {
	check(json.Unmarshal([]byte(os.Args[1]), &at))
	var cancel context.CancelFunc
	ctx, cancel = context.WithTimeout(context.Background(), time.Duration(at.LimitMs)*time.Millisecond)
	defer cancel()
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(must(os.ReadFile(at.Ca)))
	pair := must(tls.LoadX509KeyPair(at.Certificate, at.Key))
	config := &tls.Config{RootCAs: authorities, Certificates: []tls.Certificate{pair}}
	base = []kgo.Opt{kgo.SeedBrokers(strings.Split(at.Bootstrap, ",")...), kgo.DialTLSConfig(config)}
	connection := client()
	defer connection.Close()
	admin := kadm.NewClient(connection)

	found := create(admin, at.Name+"-codecs", 1)
	codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
	names, sent := []string{"none", "gzip", "snappy", "lz4", "zstd"}, []string{}
	for _, codec := range names {
		values := numbered(codec+" ", 50)
		sent = append(sent, values...)
		produce(at.Name+"-codecs", values, kgo.ProducerBatchCompression(codecs[codec]))
	}
	saw := map[string]any{"client": "franz-go", "topic": []int{len(found.Partitions), len(found.Partitions[0].Replicas)}}
	if strings.Join(read(at.Name+"-codecs", 250), ",") == strings.Join(sent, ",") {
		saw["codecs"] = names
	}
	saw["classic"] = group(admin, "classic")
	saw["transactions"] = transactions(admin)
	saw["admin"] = administrate(admin)
	check(json.NewEncoder(os.Stdout).Encode(saw))
}
