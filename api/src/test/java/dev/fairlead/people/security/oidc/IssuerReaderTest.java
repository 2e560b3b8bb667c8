package dev.fairlead.people.security.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IssuerReaderTest {
  private static final String CONFIGURATION = "/.well-known/openid-configuration";
  private static final String KEYS = "{\"keys\":[]}";
  private final Map<String, String> pages = new ConcurrentHashMap<>();
  private final HttpServer server;
  private final String issuer;

  IssuerReaderTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String page = pages.get(exchange.getRequestURI().getPath());
          byte[] body = page == null ? new byte[0] : page.getBytes(StandardCharsets.UTF_8);
          if (page != null && page.startsWith("/")) {
            exchange.getResponseHeaders().add("Location", page);
            exchange.sendResponseHeaders(302, -1);
          } else {
            exchange.sendResponseHeaders(
                page == null ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
          }
          exchange.close();
        });
    server.start();
    issuer = "http://127.0.0.1:" + server.getAddress().getPort();
    pages.put(CONFIGURATION, configuration(issuer, issuer + "/keys"));
    pages.put("/keys", KEYS);
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static String configuration(String named, String keys) {
    return "{\"issuer\":\"" + named + "\",\"jwks_uri\":\"" + keys + "\"}";
  }

  private void refused(String why) {
    assertThatThrownBy(() -> new IssuerReader(issuer).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  @Test
  void keysAreReadFromTheConfiguredAddress() throws IOException {
    assertThat(new IssuerReader(issuer).read().getKeys()).isEmpty();
  }

  /** Fails when redirects are followed: they lead to addresses that the operator did not name. */
  @Test
  void aRedirectIsNotFollowed() {
    pages.put("/moved", KEYS);
    pages.put("/keys", "/moved");
    refused("302");
  }

  /** Fails when a response is read completely regardless of its length. */
  @Test
  void oversizedIssuerResponseIsRejected() {
    pages.put("/keys", "{\"keys\":[],\"x\":\"" + "x".repeat(300_000) + "\"}");
    refused("/keys");
  }

  @Test
  void configurationOfAnotherIssuerIsRejected() {
    pages.put(CONFIGURATION, configuration("https://evil.example", issuer + "/keys"));
    refused("a different issuer");
  }

  @Test
  void keysAreFetchedByHttpsOrFromLoopback() {
    pages.put(CONFIGURATION, configuration(issuer, "http://evil.example/keys"));
    refused("https");
    pages.put(CONFIGURATION, configuration(issuer, "file:///etc/passwd"));
    refused("https");
    pages.put(CONFIGURATION, "no JSON");
    refused("sent an invalid answer");
  }
}
