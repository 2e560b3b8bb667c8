package dev.fairlead.launcher.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An OpenID Connect issuer on a free port of 127.0.0.1, only for the demo: discovery (OpenID
 * Connect Discovery 1.0), its key (RFC 7517) and access tokens by client credentials (RFC 6749,
 * 4.4). Each client has a secret that is drawn at the start, and one group with its name.
 */
final class DemoIssuer implements AutoCloseable {
  static final String AUDIENCE = "fairlead-demo";
  private static final Duration VALID = Duration.ofHours(1);
  private static final int MOST_OF_A_FORM = 4096;
  private static final String KEY = "demo";

  private final HttpServer server;
  private final KeyPair keys;
  private final SortedMap<String, String> secrets = new TreeMap<>();

  private DemoIssuer(HttpServer server, KeyPair keys) {
    this.server = server;
    this.keys = keys;
  }

  /**
   * @param clients names of the clients
   * @throws StartFailed when no port can be bound
   */
  static DemoIssuer start(String... clients) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      DemoIssuer issuer = new DemoIssuer(server, generator.generateKeyPair());
      Stream.of(clients).forEach(client -> issuer.secrets.put(client, secret()));
      server.createContext("/.well-known/openid-configuration", issuer::discovery);
      server.createContext("/jwks", issuer::jwks);
      server.createContext("/token", issuer::token);
      server.start();
      return issuer;
    } catch (IOException | GeneralSecurityException e) {
      throw new StartFailed("the issuer of the demo could not be started: " + e.getMessage(), e);
    }
  }

  private static String secret() {
    byte[] drawn = new byte[18];
    new SecureRandom().nextBytes(drawn);
    return base64(drawn);
  }

  /** The {@code iss} of the tokens, and the base of {@code /token}. */
  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Secret by client. */
  SortedMap<String, String> secrets() {
    return Collections.unmodifiableSortedMap(secrets);
  }

  private void discovery(HttpExchange exchange) throws IOException {
    ObjectNode said = JsonNodeFactory.instance.objectNode();
    said.put("issuer", url());
    said.put("jwks_uri", url() + "/jwks");
    said.put("token_endpoint", url() + "/token");
    said.putArray("grant_types_supported").add("client_credentials");
    answer(exchange, 200, said);
  }

  private void jwks(HttpExchange exchange) throws IOException {
    RSAPublicKey key = (RSAPublicKey) keys.getPublic();
    ObjectNode said = JsonNodeFactory.instance.objectNode();
    said.putArray("keys")
        .addObject()
        .put("kty", "RSA")
        .put("use", "sig")
        .put("alg", "RS256")
        .put("kid", KEY)
        .put("n", base64(unsigned(key.getModulus().toByteArray())))
        .put("e", base64(key.getPublicExponent().toByteArray()));
    answer(exchange, 200, said);
  }

  /** Removes the zero that keeps a large number positive (RFC 7518, 6.3.1). */
  private static byte[] unsigned(byte[] number) {
    return number[0] == 0 ? Arrays.copyOfRange(number, 1, number.length) : number;
  }

  private void token(HttpExchange exchange) throws IOException {
    String form =
        new String(exchange.getRequestBody().readNBytes(MOST_OF_A_FORM), StandardCharsets.UTF_8);
    String basic = exchange.getRequestHeaders().getFirst("Authorization");
    String client =
        secrets.entrySet().stream()
            .filter(known -> same(basic, known.getKey() + ":" + known.getValue()))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse("");
    ObjectNode said = JsonNodeFactory.instance.objectNode();
    if (client.isEmpty()) {
      answer(exchange, 401, said.put("error", "invalid_client"));
    } else if (!form.contains("grant_type=client_credentials")) {
      answer(exchange, 400, said.put("error", "unsupported_grant_type"));
    } else {
      said.put("access_token", signed(client)).put("token_type", "Bearer");
      answer(exchange, 200, said.put("expires_in", VALID.toSeconds()));
    }
  }

  private static boolean same(@Nullable String header, String credentials) {
    String expected =
        "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    return header != null
        && MessageDigest.isEqual(
            header.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
  }

  private String signed(String client) {
    Instant now = Instant.now();
    ObjectNode header = JsonNodeFactory.instance.objectNode();
    header.put("alg", "RS256").put("kid", KEY).put("typ", "at+jwt");
    ObjectNode claims = JsonNodeFactory.instance.objectNode();
    claims.put("iss", url()).put("aud", AUDIENCE).put("sub", client);
    claims.put("iat", now.getEpochSecond()).put("exp", now.plus(VALID).getEpochSecond());
    claims.putArray("groups").add(client);
    String text = part(header) + "." + part(claims);
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(keys.getPrivate());
      signature.update(text.getBytes(StandardCharsets.US_ASCII));
      return text + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String part(ObjectNode json) {
    return base64(json.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static void answer(HttpExchange exchange, int status, ObjectNode json)
      throws IOException {
    byte[] body = json.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
