// Package mainline calls Mainline with nothing but the standard library: operations with retries, pages, events to watch, and webhooks.
package mainline

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client holds what all requests have in common.
type Client struct {
	// URL is where Mainline is: https://mainline.example.com
	URL string
	// Token is sent as Authorization: Bearer.
	Token string
	// User says who calls where identity is open.
	User string
	// Retries is how often a call is repeated after a passing failure.
	Retries int
	// HTTP is http.DefaultClient when left out.
	HTTP *http.Client
}

// Request is one call of an operation.
type Request struct {
	Method string
	// Path is below /api/v3; Path builds one from its parts.
	Path string
	Body any
	// Changes is set for operations that change something: they are then repeated under one Idempotency-Key.
	Changes bool
	// Reason documents a change in the audit log and in events.
	Reason string
	// IfMatch makes the change only if the instance still has this revision.
	IfMatch int
}

// Path joins the parts of a path: Path("set", 2, "batch").
func Path(parts ...any) string {
	var path strings.Builder
	for _, part := range parts {
		path.WriteString("/" + url.PathEscape(fmt.Sprint(part)))
	}
	return path.String()
}

type envelope[Data any] struct {
	Result  bool   `json:"result"`
	Code    int    `json:"bk_error_code"`
	Message string `json:"bk_error_msg"`
	Data    Data   `json:"data"`
}

// Call returns the data of the answer. Whatever is no success is a *Failure.
func Call[Data any](ctx context.Context, client *Client, request Request) (Data, error) {
	var data Data
	key := ""
	if request.Changes && client.Retries > 0 {
		key = newKey()
	}
	for failures := 0; ; failures++ {
		raw, err := client.send(ctx, request, key)
		if err == nil {
			return data, json.Unmarshal(raw, &data)
		}
		var failure *Failure
		if !errors.As(err, &failure) || !failure.Passing() || failures >= client.Retries {
			return data, err
		}
		if err := pause(ctx, failures, failure.RetryAfter); err != nil {
			return data, err
		}
	}
}

func (client *Client) send(ctx context.Context, request Request, key string) (json.RawMessage, error) {
	var body io.Reader
	if request.Body != nil {
		text, err := json.Marshal(request.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	sent, err := http.NewRequestWithContext(ctx, request.Method, strings.TrimRight(client.URL, "/")+"/api/v3"+request.Path, body)
	if err != nil {
		return nil, err
	}
	client.setHeaders(sent.Header, request, key)
	httpClient := client.HTTP
	if httpClient == nil {
		httpClient = http.DefaultClient
	}
	answer, err := httpClient.Do(sent)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	var read envelope[json.RawMessage]
	if err := json.Unmarshal(text, &read); err != nil || !read.Result {
		return nil, failureOf(answer, read)
	}
	return read.Data, nil
}

func (client *Client) setHeaders(header http.Header, request Request, key string) {
	set := func(name, value string) {
		if value != "" {
			header.Set(name, value)
		}
	}
	if request.Body != nil {
		set("Content-Type", "application/json")
	}
	if client.Token != "" {
		set("Authorization", "Bearer "+client.Token)
	}
	set("BK-User", client.User)
	set("X-Change-Reason", url.PathEscape(request.Reason))
	set("Idempotency-Key", key)
	if request.IfMatch > 0 {
		set("If-Match", strconv.Quote(strconv.Itoa(request.IfMatch)))
	}
}

func newKey() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return hex.EncodeToString(bytes)
}

const longestPause = 30 * time.Second

// pause grows with each failure, with jitter, so that clients that failed together do not return together.
func pause(ctx context.Context, failures int, retryAfter time.Duration) error {
	if failures > 8 {
		failures = 8
	}
	wait := time.Duration(100+randomBelow(100)) * time.Millisecond << failures
	if retryAfter > wait {
		wait = retryAfter
	}
	if wait > longestPause {
		wait = longestPause
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}

func randomBelow(limit byte) int {
	var drawn [1]byte
	if _, err := rand.Read(drawn[:]); err != nil {
		panic(err)
	}
	return int(drawn[0] % limit)
}
