package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** API keys of a model service over HTTP, on the real database. */
class ServiceKeysIT {
  private static final String SERVICE = "/api/v1/projects/default/services/keyed";
  private static final String KEYS = SERVICE + "/keys";
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aService() {
    String body =
        "{route: keyed.example, access: KEYS, job: {image: x, placement: {clusters: [nowhere]}}}";
    Http.Answer put = HTTP.send("PUT", SERVICE, body, "Content-Type", Http.YAML);
    assertThat(put.status()).as(put.body()).isEqualTo(200);
    assertThat(put.json().get("access").asString()).isEqualTo("KEYS");
  }

  private static JsonNode key(String name) {
    for (JsonNode each : HTTP.get(KEYS).json().get("items")) {
      if (each.get("name").asString().equals(name)) {
        return each;
      }
    }
    throw new AssertionError("no key " + name);
  }

  @Test
  void keyTextIsReturnedOnce() {
    Http.Answer made = HTTP.yaml(KEYS, "{name: app, tokensPerMinute: 1000, expiresIn: 1d}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    String text = made.json().get("key").asString();
    assertThat(text).matches("flk_[A-Za-z0-9_-]{43}");
    assertThat(HTTP.get(KEYS).body()).doesNotContain(text, "hash");
    assertThat(key("app").get("tokensPerMinute").asInt()).isEqualTo(1000);
    assertThat(key("app").get("state").asString()).isEqualTo("VALID");
    assertThat(HTTP.yaml(KEYS, "{name: app}").status()).isEqualTo(409);
    assertThat(HTTP.send("DELETE", KEYS + "/app", null).status()).isEqualTo(204);
    assertThat(HTTP.send("DELETE", KEYS + "/app", null).status()).isEqualTo(204);
    assertThat(key("app").get("state").asString()).isEqualTo("REVOKED");
  }

  @Test
  void wrongFieldsAreRefusedByName() {
    assertThat(HTTP.yaml(KEYS, "{name: App}").body()).contains("/name", "must be a DNS label");
    assertThat(HTTP.yaml(KEYS, "{name: b, requestsPerMinute: 0}").body())
        .contains("/requestsPerMinute");
    assertThat(HTTP.yaml(KEYS, "{name: b, expiresIn: 10y}").status()).isEqualTo(422);
    assertThat(HTTP.yaml(KEYS, "{name: b, limit: 1}").body()).contains("limit");
    assertThat(HTTP.yaml(KEYS, "{}").status()).isEqualTo(422);
    assertThat(HTTP.send("DELETE", KEYS + "/absent", null).status()).isEqualTo(404);
    assertThat(HTTP.yaml(SERVICE + "-other/keys", "{name: b}").status()).isEqualTo(404);
  }

  @Test
  void serviceWithoutRequestsHasNoUsage() {
    assertThat(HTTP.get(SERVICE + "/usage").json().get("items")).isEmpty();
    assertThat(HTTP.get(SERVICE + "/usage?period=WEEK").status()).isEqualTo(400);
    assertThat(HTTP.get(SERVICE + "/usage?from=500d").status()).isEqualTo(422);
  }
}
