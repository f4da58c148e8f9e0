package main

import (
	"encoding/json"

	ionos "github.com/ionos-cloud/sdk-go/v6"
)

// The life of one resource: made, listed, changed, replaced, and gone; what is in it lives in between.
type life[T any] struct {
	create func() seen
	list   func() any
	change func(id string) seen
	put    func(id string) seen // absent where nothing can be replaced
	get    func(id string) (T, *ionos.APIResponse, error)
	remove func(id string) (*ionos.APIResponse, error)
	inside func(id string)
}

func (l life[T]) run(check string) {
	created := l.create()
	id := idOf(created["body"])
	all := seen{"created": created, "listed": l.list(), "changed": l.change(id), "after": read(l.get(id))}
	if l.put != nil {
		all["put"] = l.put(id)
		all["replaced"] = read(l.get(id))
	}
	if l.inside != nil {
		l.inside(id)
	}
	all["ended"] = deleted(l.remove(id))
	all["gone"] = refused(l.get(id))
	report(check, all)
}

// Of whatever model.
func idOf(body any) string {
	text, err := json.Marshal(body)
	must(err)
	var shown struct{ Id string }
	must(json.Unmarshal(text, &shown))
	return shown.Id
}

func number(value int32) *int32   { return &value }
func size(value float32) *float32 { return &value }
