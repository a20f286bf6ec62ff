package sink

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// secretPrefix marks a secret that is written in base64, as Standard Webhooks
// has it.
const secretPrefix = "whsec_"

// secretKey is the key that a secret stands for: the bytes of the text, or what
// follows whsec_ in base64.
func secretKey(secret string) ([]byte, error) {
	text, encoded := strings.CutPrefix(secret, secretPrefix)
	if !encoded {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) == 0 {
		return nil, errors.New("the secret begins with " + secretPrefix + " and no base64 follows")
	}
	return key, nil
}

// sign sets the headers of Standard Webhooks: the name of the message, the time
// of this attempt, and the HMAC-SHA256 of both and the body where there is a key.
func sign(h http.Header, id string, at time.Time, key, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	if len(key) == 0 {
		return
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
