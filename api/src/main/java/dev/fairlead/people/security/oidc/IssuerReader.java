package dev.fairlead.people.security.oidc;

import com.nimbusds.jose.jwk.JWKSet;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the issuer's keys at the address in its OpenID configuration. A response is limited to 5 s
 * and 256 KiB, and redirects are not followed.
 */
final class IssuerReader implements IssuerKeys.Reader {
  private static final String CONFIGURATION = "/.well-known/openid-configuration";
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration WHOLE = Duration.ofSeconds(5);
  private static final long LARGEST = 256 * 1024;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private final String issuer;
  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  IssuerReader(String issuer) {
    this.issuer = issuer;
  }

  @Override
  public JWKSet read() throws IOException {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    try {
      JsonNode configuration = MAPPER.readTree(get(URI.create(base + CONFIGURATION)));
      if (!issuer.equals(configuration.path("issuer").asString(""))) {
        throw new IOException(
            base
                + CONFIGURATION
                + " names a different issuer than fairlead.oidc.issuer, "
                + issuer);
      }
      String keys = configuration.path("jwks_uri").asString("");
      return JWKSet.parse(get(OidcSettings.secure("jwks_uri", keys))).toPublicJWKSet();
    } catch (JacksonException | ParseException | IllegalArgumentException unreadable) {
      throw new IOException(issuer + " sent an invalid answer: " + unreadable.getMessage());
    }
  }

  private String get(URI address) throws IOException {
    HttpRequest request = HttpRequest.newBuilder(address).timeout(WHOLE).build();
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST));
    try {
      HttpResponse<byte[]> response = answer.get(WHOLE.toMillis(), TimeUnit.MILLISECONDS);
      if (response.statusCode() != 200) {
        throw new IOException(address + " answers " + response.statusCode());
      }
      return new String(response.body(), StandardCharsets.UTF_8);
    } catch (ExecutionException failed) {
      throw new IOException(address + ": " + failed.getCause(), failed);
    } catch (TimeoutException slow) {
      throw new IOException(address + " does not answer within " + WHOLE.toSeconds() + " s", slow);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopping);
    } finally {
      answer.cancel(true);
    }
  }
}
