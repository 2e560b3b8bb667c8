package dev.fairlead.e2e;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configuration.OAuth2AuthorizationServerConfiguration;
import org.springframework.security.config.annotation.web.configurers.oauth2.server.authorization.OAuth2AuthorizationServerConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.authorization.InMemoryOAuth2AuthorizationConsentService;
import org.springframework.security.oauth2.server.authorization.OAuth2AuthorizationConsent;
import org.springframework.security.oauth2.server.authorization.OAuth2AuthorizationConsentService;
import org.springframework.security.oauth2.server.authorization.client.InMemoryRegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.settings.AuthorizationServerSettings;
import org.springframework.security.oauth2.server.authorization.settings.ClientSettings;
import org.springframework.security.oauth2.server.authorization.settings.TokenSettings;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.cors.CorsConfiguration;

/**
 * A real issuer, Spring Authorization Server, on a separate port. Its clients sign in with client
 * credentials, the user {@link #USER} through the public client {@link #CLI}. Tests have its key,
 * so they can create tokens that the issuer would not.
 */
final class TestIssuer implements AutoCloseable {
  static final String AUDIENCE = "fairlead-api";

  /** Public client of {@code fairlead login}, of Swagger UI and of the console. */
  static final String CLI = "fairlead-cli";

  static final String USER = "ana";
  static final String PASSWORD = "password-of-ana";

  /** Scopes of the public client. Users have to consent. */
  static final String SCOPE = "fairlead";

  private static final String GROUP = "ml";

  /** Groups of the clients, by client id. */
  private static final Map<String, String> CLIENTS =
      Map.of("trainer", "ml", "watcher", "guests", "stranger", "others", "loner", "unmapped");

  private final RSAKey key;
  private final Traffic traffic = new Traffic();
  private final AnnotationConfigServletWebServerApplicationContext context =
      new AnnotationConfigServletWebServerApplicationContext();
  private final Http http;

  private TestIssuer() throws JOSEException {
    key = new RSAKeyGenerator(2048).keyID("first").algorithm(JWSAlgorithm.RS256).generate();
    context.registerBean("key", RSAKey.class, () -> key);
    context.registerBean("traffic", Traffic.class, () -> traffic);
    context.register(Beans.class);
    context.refresh();
    http = new Http("http://127.0.0.1:" + context.getWebServer().getPort());
  }

  static TestIssuer start() {
    try {
      return new TestIssuer();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Prompts the user again at the next sign-in, regardless of earlier ones. */
  void forgetConsent() {
    OAuth2AuthorizationConsentService consents =
        context.getBean(OAuth2AuthorizationConsentService.class);
    OAuth2AuthorizationConsent given = consents.findById(CLI, USER);
    if (given != null) {
      consents.remove(given);
    }
  }

  /** Counts requests, and does not respond during an outage of the issuer. */
  @Order(Ordered.HIGHEST_PRECEDENCE)
  static final class Traffic implements Filter {
    private final AtomicInteger keys = new AtomicInteger();
    private final AtomicInteger lures = new AtomicInteger();
    private volatile boolean away;

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      String path = ((HttpServletRequest) request).getRequestURI();
      if (path.endsWith("/jwks")) {
        keys.incrementAndGet();
      }
      if (path.startsWith("/lure")) {
        lures.incrementAndGet();
      }
      if (away) {
        ((HttpServletResponse) response).setStatus(503);
      } else {
        chain.doFilter(request, response);
      }
    }
  }

  /**
   * Beans of the issuer, without annotations, so that the service under test does not scan them.
   */
  @EnableWebSecurity
  static class Beans {
    private static final RegisteredClient CLI_CLIENT =
        RegisteredClient.withId(CLI)
            .clientId(CLI)
            .clientAuthenticationMethod(ClientAuthenticationMethod.NONE)
            .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
            .authorizationGrantType(AuthorizationGrantType.DEVICE_CODE)
            .authorizationGrantType(AuthorizationGrantType.REFRESH_TOKEN)
            .redirectUri("http://127.0.0.1/callback")
            .redirectUri("http://127.0.0.1/console/")
            .scope(SCOPE)
            .clientSettings(
                ClientSettings.builder()
                    .requireProofKey(true)
                    .requireAuthorizationConsent(true)
                    .build())
            .tokenSettings(TokenSettings.builder().reuseRefreshTokens(false).build())
            .build();

    @Bean
    TomcatServletWebServerFactory server() {
      TomcatServletWebServerFactory server = new TomcatServletWebServerFactory(0);
      server.setRegisterDefaultServlet(true); // without a servlet no filter is called
      return server;
    }

    @Bean
    SecurityFilterChain chain(HttpSecurity http) {
      return http.with(
              new OAuth2AuthorizationServerConfigurer(),
              server ->
                  server
                      .oidc(Customizer.withDefaults())
                      .deviceAuthorizationEndpoint(Customizer.withDefaults())
                      .deviceVerificationEndpoint(Customizer.withDefaults())
                      .clientAuthentication(clients ->
                          clients
                              .authenticationConverter(OpenClient::of)
                              .authenticationProvider(new OpenClient.Provider(clients()))))
          .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .formLogin(Customizer.withDefaults())
          .cors(cors -> cors.configurationSource(request -> pages()))
          .build();
    }

    /** The console reads the addresses of the issuer and gets its token in a browser. */
    private static CorsConfiguration pages() {
      return new CorsConfiguration().applyPermitDefaultValues();
    }

    @Bean
    RegisteredClientRepository clients() {
      return new InMemoryRegisteredClientRepository(
          Stream.concat(Stream.of(CLI_CLIENT), CLIENTS.keySet().stream().map(Beans::client))
              .toList());
    }

    @Bean
    OAuth2AuthorizationConsentService consents() {
      return new InMemoryOAuth2AuthorizationConsentService();
    }

    @Bean
    UserDetailsService users() {
      return new InMemoryUserDetailsManager(
          User.withUsername(USER).password("{noop}" + PASSWORD).build());
    }

    private static RegisteredClient client(String id) {
      return RegisteredClient.withId(UUID.randomUUID().toString())
          .clientId(id)
          .clientSecret("{noop}secret-of-" + id)
          .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
          .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
          .build();
    }

    @Bean
    JWKSource<SecurityContext> keys(RSAKey key) {
      return new ImmutableJWKSet<>(new JWKSet(key));
    }

    @Bean
    JwtDecoder decoder(JWKSource<SecurityContext> keys) {
      return OAuth2AuthorizationServerConfiguration.jwtDecoder(keys);
    }

    @Bean
    AuthorizationServerSettings settings() {
      return AuthorizationServerSettings.builder().build();
    }

    @Bean
    OAuth2TokenCustomizer<JwtEncodingContext> claims() {
      return token ->
          token
              .getClaims()
              .audience(List.of(AUDIENCE))
              .claim(
                  "groups",
                  List.of(CLIENTS.getOrDefault(token.getRegisteredClient().getClientId(), GROUP)));
    }
  }

  String url() {
    return http.base();
  }

  RSAKey key() {
    return key;
  }

  void away(boolean away) {
    traffic.away = away;
  }

  int readsOfKeys() {
    return traffic.keys.get();
  }

  /** Requests below {@code /lure}, where the test's tokens claim to have their keys. */
  int lured() {
    return traffic.lures.get();
  }

  /** The result of the client's sign-in. */
  String signIn(String client) {
    String basic =
        Base64.getEncoder()
            .encodeToString((client + ":secret-of-" + client).getBytes(StandardCharsets.UTF_8));
    Http.Answer answer =
        http.send(
            "POST",
            "/oauth2/token",
            "grant_type=client_credentials",
            "Content-Type",
            "application/x-www-form-urlencoded",
            "Authorization",
            "Basic " + basic);
    if (answer.status() != 200) {
      throw new IllegalStateException(answer.status() + " " + answer.body());
    }
    return answer.json().get("access_token").asString();
  }

  /** Claims of a good token of the trainer, valid for five minutes. */
  JWTClaimsSet.Builder claims() {
    Instant now = Instant.now();
    return new JWTClaimsSet.Builder()
        .issuer(url())
        .audience(AUDIENCE)
        .subject("trainer")
        .claim("groups", List.of("ml"))
        .issueTime(Date.from(now))
        .expirationTime(Date.from(now.plus(Duration.ofMinutes(5))));
  }

  JWSHeader.Builder header() {
    return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID());
  }

  /** Signed with the issuer's key, with any claims. */
  String signed(JWSHeader header, JWTClaimsSet claims) {
    try {
      SignedJWT token = new SignedJWT(header, claims);
      token.sign(new RSASSASigner(key));
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
