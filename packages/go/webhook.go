package mainline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Delivered is what Mainline sends to a subscriber.
type Delivered struct {
	EventType string `json:"event_type"`
	Action    string `json:"action"`
	Object    string `json:"obj_type"`
	Data      []struct {
		// Current is null after a deletion, Previous after a creation.
		Current  json.RawMessage `json:"cur_data"`
		Previous json.RawMessage `json:"pre_data"`
	} `json:"data"`
	Revision     int    `json:"revision"`
	Position     int64  `json:"position"`
	Reason       string `json:"reason"`
	Distribution int64  `json:"distribution_id"`
	Subscription int64  `json:"subscription_id"`
}

// ErrWebhookRefused means that the request was not signed with a secret, or not now. Answer 401 and do nothing.
var ErrWebhookRefused = errors.New("webhook refused")

// tolerance is how far clocks may be apart.
const tolerance = 300 * time.Second

// VerifyWebhook returns the event once it is known to come from a holder of one of the secrets (Standard Webhooks); there are two
// while a secret is rotated. The body is what was sent, byte for byte. Store webhook-id: an event may be delivered twice.
func VerifyWebhook(header http.Header, body []byte, now time.Time, secrets ...string) (Delivered, error) {
	var event Delivered
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil {
		return event, fmt.Errorf("%w: a webhook- header is missing", ErrWebhookRefused)
	}
	if apart := now.Sub(time.Unix(seconds, 0)); apart > tolerance || apart < -tolerance {
		return event, fmt.Errorf("%w: webhook-timestamp is too far from now", ErrWebhookRefused)
	}
	signatures := strings.Split(header.Get("webhook-signature"), " ")
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return event, errors.New("the secret is not whsec_ and base64")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		own := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, signature := range signatures {
			if hmac.Equal(own, []byte(signature)) {
				return event, json.Unmarshal(body, &event)
			}
		}
	}
	return event, fmt.Errorf("%w: no signature was made with these secrets", ErrWebhookRefused)
}
