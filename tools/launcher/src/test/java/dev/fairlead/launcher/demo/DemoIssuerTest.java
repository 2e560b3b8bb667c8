package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.RSAPublicKeySpec;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DemoIssuerTest {
  private static final Base64.Decoder BASE64 = Base64.getUrlDecoder();
  private final JsonMapper json = JsonMapper.builder().build();
  private final HttpClient client = HttpClient.newHttpClient();
  private final DemoIssuer issuer = DemoIssuer.start("acme", "globex");

  @AfterEach
  void stop() {
    client.close();
    issuer.close();
  }

  @Test
  void tokenIsSignedByTheKeyOfDiscovery() throws Exception {
    String token =
        body(token("acme", issuer.secrets().get("acme"), "client_credentials"))
            .path("access_token")
            .asString();
    JsonNode found = body(get(issuer.url() + "/.well-known/openid-configuration"));
    JsonNode key = body(get(found.path("jwks_uri").asString())).at("/keys/0");
    String[] parts = token.split("\\.");
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initVerify(
        KeyFactory.getInstance("RSA")
            .generatePublic(new RSAPublicKeySpec(number(key, "n"), number(key, "e"))));
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
    JsonNode claims = json.readTree(BASE64.decode(parts[1]));

    assertThat(signature.verify(BASE64.decode(parts[2]))).isTrue();
    assertThat(claims.path("iss").asString()).isEqualTo(issuer.url());
    assertThat(claims.path("groups").toString()).isEqualTo("[\"acme\"]");
    assertThat(claims.path("exp").asLong() - claims.path("iat").asLong()).isEqualTo(3600);
  }

  @Test
  void clientNeedsItsSecretAndAnOfferedGrant() throws Exception {
    String secret = issuer.secrets().get("acme");

    assertThat(token("globex", secret, "client_credentials").statusCode()).isEqualTo(401);
    assertThat(token("guessed", secret, "client_credentials").statusCode()).isEqualTo(401);
    assertThat(get(issuer.url() + "/token").statusCode()).isEqualTo(401);
    assertThat(token("acme", secret, "password").statusCode()).isEqualTo(400);
  }

  private static BigInteger number(JsonNode key, String name) {
    return new BigInteger(1, BASE64.decode(key.path(name).asString()));
  }

  private JsonNode body(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return json.readTree(answer.body());
  }

  private HttpResponse<String> get(String address) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> token(String name, String secret, String grant) throws Exception {
    String basic =
        Base64.getEncoder().encodeToString((name + ":" + secret).getBytes(StandardCharsets.UTF_8));
    return client.send(
        HttpRequest.newBuilder(URI.create(issuer.url() + "/token"))
            .header("Authorization", "Basic " + basic)
            .POST(HttpRequest.BodyPublishers.ofString("grant_type=" + grant))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
