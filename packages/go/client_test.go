// Against a running server, whose address is in MAINLINE_URL; MAINLINE_LOST_CURSOR holds a cursor whose record it does not have.
package mainline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

var (
	ctx      = context.Background()
	client   = &Client{URL: os.Getenv("MAINLINE_URL"), User: "admin", Retries: 3}
	drawn    atomic.Int64
	business = makeBusiness()
)

type set struct {
	ID       int    `json:"bk_set_id"`
	Name     string `json:"bk_set_name"`
	Revision int    `json:"bk_revision"`
}

func name() string { return fmt.Sprintf("go %d", drawn.Add(1)) }

func makeBusiness() int {
	body := map[string]any{"bk_biz_name": name(), "bk_biz_maintainer": "admin", "time_zone": "UTC"}
	made, err := Call[struct {
		ID int `json:"bk_biz_id"`
	}](ctx, client, Request{Method: "POST", Path: Path("biz", "0"), Body: body, Changes: true})
	if err != nil {
		panic(err)
	}
	return made.ID
}

func creating(name string) Request {
	body := map[string]any{"bk_biz_id": business, "bk_parent_id": business, "bk_supplier_account": "0", "bk_set_name": name}
	return Request{Method: "POST", Path: Path("set", business), Body: body, Changes: true, Reason: "CHG-17: höher"}
}

func makeSet(t *testing.T, by *Client) set {
	t.Helper()
	made, err := Call[set](ctx, by, creating(name()))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func findSets(t *testing.T, condition map[string]any) []set {
	t.Helper()
	body := map[string]any{"fields": []string{"bk_set_id", "bk_set_name", "bk_revision"}, "condition": condition}
	pages := Search[set](client, Path("set", "search", "0", business), body, "bk_set_id")
	pages.limit = 2
	var found []set
	for pages.Next(ctx) {
		found = append(found, pages.Record())
	}
	if pages.Err() != nil {
		t.Fatal(pages.Err())
	}
	return found
}

func failureIn(t *testing.T, err error) *Failure {
	t.Helper()
	var failure *Failure
	if !errors.As(err, &failure) {
		t.Fatalf("not a failure: %v", err)
	}
	return failure
}

func TestChangesAreMadeAtARevision(t *testing.T) {
	made := makeSet(t, client)
	revision := findSets(t, map[string]any{"bk_set_id": made.ID})[0].Revision
	change := Request{Method: "PUT", Path: Path("set", business, made.ID), Changes: true, IfMatch: revision}
	for _, code := range []int{0, CodeRevisionMismatch} {
		change.Body = map[string]any{"bk_biz_id": business, "bk_capacity": 5 + code}
		_, err := Call[string](ctx, client, change)
		if code == 0 && err != nil {
			t.Fatal(err)
		} else if code != 0 && failureIn(t, err).Code != code {
			t.Fatal(err)
		}
	}
}

func TestRefusalsNameTheirCode(t *testing.T) {
	_, err := Call[json.RawMessage](ctx, client, Request{Method: "GET", Path: Path("hosts", "0", 999999)})
	if failure := failureIn(t, err); failure.Code != 1110008 || failure.Status != 404 || failure.RequestID == "" {
		t.Fatalf("%+v", failure)
	}
}

func TestAChangeWhoseAnswerIsLostIsMadeOnce(t *testing.T) {
	address, requests := losingAnswer(t, 1)
	made := makeSet(t, &Client{URL: address, User: "admin", Retries: 3})
	if requests.Load() != 2 || len(findSets(t, map[string]any{"bk_set_name": made.Name})) != 1 {
		t.Fatalf("%d requests", requests.Load())
	}
}

func TestASearchIsReadToItsEnd(t *testing.T) {
	made := []int{makeSet(t, client).ID, makeSet(t, client).ID, makeSet(t, client).ID, makeSet(t, client).ID}
	found := findSets(t, map[string]any{"bk_set_id": map[string]any{"$in": made}})
	if len(found) != len(made) || found[0].ID != made[0] {
		t.Fatal(found)
	}
}

func nextSet(t *testing.T, watcher *Watcher) int {
	t.Helper()
	event, err := watcher.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var detail set
	if err := json.Unmarshal(event.Detail, &detail); err != nil {
		t.Fatal(err)
	}
	return detail.ID
}

func cursorNow(t *testing.T) string {
	t.Helper()
	made := makeSet(t, client)
	watcher := &Watcher{Client: client, Resource: "set", StartFrom: 1}
	for nextSet(t, watcher) != made.ID {
	}
	return watcher.Cursor
}

func TestALostWatchIsResumed(t *testing.T) {
	address, requests := losingAnswer(t, 2)
	watcher := &Watcher{Client: &Client{URL: address, User: "admin"}, Resource: "set", Cursor: cursorNow(t)}
	for i := 0; i < 2; i++ {
		if made := makeSet(t, client); nextSet(t, watcher) != made.ID {
			t.Fatal("another set")
		}
	}
	if requests.Load() != 3 {
		t.Fatalf("%d requests", requests.Load())
	}
}

func TestAResetHistoryTellsWhereToResume(t *testing.T) {
	watcher := &Watcher{Client: client, Resource: "set", Cursor: os.Getenv("MAINLINE_LOST_CURSOR")}
	_, err := watcher.Next(ctx)
	reset := failureIn(t, err).Reset()
	if reset == nil || reset.Position == 0 {
		t.Fatal(err)
	}
	resumed := &Watcher{Client: client, Resource: "set", Cursor: reset.Cursor}
	if made := makeSet(t, client); nextSet(t, resumed) != made.ID {
		t.Fatal("another set")
	}
}

func TestDeliveriesAreVerified(t *testing.T) {
	type delivery struct {
		header http.Header
		body   []byte
	}
	received := make(chan delivery, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		received <- delivery{request.Header, body}
	}))
	defer receiver.Close()
	form := map[string]any{"subscription_name": name(), "callback_url": receiver.URL, "subscription_form": "setcreate"}
	subscribe := Request{Method: "POST", Path: Path("event", "subscribe", "0", business), Body: form, Changes: true}
	subscribed, err := Call[struct {
		ID     int    `json:"subscription_id"`
		Secret string `json:"secret"`
	}](ctx, client, subscribe)
	if err != nil {
		t.Fatal(err)
	}
	made := makeSet(t, client)
	got := <-received
	unsubscribe := Request{Method: "DELETE", Path: Path("event", "subscribe", "0", business, subscribed.ID), Changes: true}
	if _, err := Call[string](ctx, client, unsubscribe); err != nil {
		t.Fatal(err)
	}
	other := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	event, err := VerifyWebhook(got.header, got.body, time.Now(), other, subscribed.Secret)
	var sent set
	if err != nil || json.Unmarshal(event.Data[0].Current, &sent) != nil || sent.ID != made.ID {
		t.Fatal(err, event)
	}
	for what, err := range map[string]error{
		"secret": second(VerifyWebhook(got.header, got.body, time.Now(), other)),
		"body":   second(VerifyWebhook(got.header, append(got.body, ' '), time.Now(), subscribed.Secret)),
		"time":   second(VerifyWebhook(got.header, got.body, time.Now().Add(302*time.Second), subscribed.Secret)),
		"header": second(VerifyWebhook(http.Header{}, got.body, time.Now(), subscribed.Secret)),
	} {
		if !errors.Is(err, ErrWebhookRefused) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second(_ Delivered, err error) error { return err }

// losingAnswer is in front of the server: each request reaches it, and one answer is lost on its way back.
func losingAnswer(t *testing.T, number int64) (string, *atomic.Int64) {
	var requests atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		forwarded, _ := http.NewRequest(request.Method, client.URL+request.URL.Path, request.Body)
		forwarded.Header = request.Header
		answer, err := http.DefaultClient.Do(forwarded)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		if requests.Add(1) == number {
			connection, _, _ := writer.(http.Hijacker).Hijack()
			connection.Close()
			return
		}
		writer.WriteHeader(answer.StatusCode)
		_, _ = writer.Write(body)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL, &requests
}
