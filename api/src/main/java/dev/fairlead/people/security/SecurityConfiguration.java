package dev.fairlead.people.security;

import dev.fairlead.kernel.errors.HttpStatusProblem;
import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.overload.RequestBudgets;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.Denials;
import dev.fairlead.people.security.oidc.OidcSettings;
import dev.fairlead.people.security.oidc.SignIn;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.people.token.TokenStore;
import dev.fairlead.work.job.store.JobStore;
import jakarta.servlet.DispatcherType;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * One filter chain for all requests, without sessions: every path that is not listed as public
 * needs an authenticated caller.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(SecurityConfiguration.class);

  /** Descriptions of the API, and probes. They contain no data of callers. */
  private static final String[] PUBLIC = {
    "/",
    "/.well-known/fairlead",
    "/console",
    "/console/**",
    "/docs/**",
    "/v3/api-docs/**",
    "/v3/api-docs.yaml",
    "/swagger-ui.html",
    "/swagger-ui/**",
    "/actuator/health/**"
  };

  private static final int BEHIND_CHECKS_OF_PARAMETERS = 1;

  private static final String CONTENT_POLICY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors"
          + " 'none'; base-uri 'none'";

  /**
   * Validated before any other bean is created: an unsafe service does not even wait for its
   * database.
   */
  @Bean
  static BeanFactoryPostProcessor entranceFirst(Environment environment) {
    return beans -> {
      beans.registerSingleton("entrance", entrance(environment));
      beans.registerSingleton("corsSettings", CorsSettings.of(environment));
    };
  }

  private static LocalAuthentication entrance(Environment environment) {
    LocalAuthentication entrance =
        LocalAuthentication.of(
            environment.getProperty("fairlead.bind", "127.0.0.1").strip(),
            environment.getProperty("fairlead.bootstrap-token", "").strip(),
            OidcSettings.of(environment).present());
    if (entrance.open()) {
      LOG.info(
          "No FAIRLEAD_BOOTSTRAP_TOKEN: every user of this machine is the administrator. Other"
              + " machines cannot connect (bound to {}).",
          entrance.bind());
    }
    return entrance;
  }

  @Bean
  SecurityFilterChain everything(
      HttpSecurity http,
      LocalAuthentication entrance,
      CorsSettings pages,
      TokenPrincipals tokens,
      SharedKey key,
      EntranceProofs proofs,
      Environment environment,
      Denials denials) {
    OidcSettings oidc = OidcSettings.of(environment);
    CallerAuthenticationFilter callers =
        new CallerAuthenticationFilter(entrance, tokens, key, proofs.signIn(), denials, proofs);
    Measurements measurements = new Measurements(denials);
    return http.csrf(AbstractHttpConfigurer::disable)
        .cors(cors ->
            cors.configurationSource(request ->
                pages.rules(request.getRequestURI(), request.getHeader(HttpHeaders.ORIGIN))))
        .httpBasic(AbstractHttpConfigurer::disable)
        .formLogin(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .anonymous(AbstractHttpConfigurer::disable)
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .headers(headers ->
            headers
                .contentSecurityPolicy(policy -> policy.policyDirectives(contentPolicy(oidc)))
                .referrerPolicy(policy -> policy.policy(ReferrerPolicy.NO_REFERRER)))
        .addFilterBefore(callers, AuthorizationFilter.class)
        .authorizeHttpRequests(requests ->
            requests
                .dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.ASYNC)
                .permitAll()
                .requestMatchers(PUBLIC)
                .permitAll()
                .requestMatchers(Measurements.PATHS)
                .access(measurements)
                .anyRequest()
                .authenticated())
        .exceptionHandling(errors ->
            errors
                .authenticationEntryPoint(
                    (request, response, e) -> callers.refuse(request, response))
                .accessDeniedHandler(
                    (request, response, e) -> measurements.refuse(request, response)))
        .build();
  }

  /** Swagger UI reads the issuer's configuration and requests its token from the issuer. */
  private static String contentPolicy(OidcSettings oidc) {
    if (!oidc.present() || oidc.clients().ui().isEmpty()) {
      return CONTENT_POLICY;
    }
    URI issuer = URI.create(oidc.issuer());
    return CONTENT_POLICY
        + "; connect-src 'self' "
        + issuer.getScheme()
        + "://"
        + issuer.getRawAuthority();
  }

  @Bean
  EntranceProofs entranceProofs(
      LocalAuthentication entrance,
      TokenPrincipals tokens,
      Environment environment,
      Transactions transactions,
      TenantStore tenants,
      MembershipStore memberships,
      InstantSource clock) {
    OidcSettings oidc = OidcSettings.of(environment);
    return new EntranceProofs(
        entrance,
        tokens,
        oidc.present()
            ? new SignIn(oidc, transactions, tenants, memberships, clock, System::nanoTime)
            : null);
  }

  @Bean
  TokenPrincipals tokenPrincipals(
      Transactions transactions,
      TokenStore tokens,
      MembershipStore memberships,
      InstantSource clock) {
    return new TokenPrincipals(transactions, tokens, memberships, clock, System::nanoTime);
  }

  @Bean
  HttpFirewall namesInPaths() {
    return new PathEncodingGuard();
  }

  /**
   * Handles requests that the firewall refuses outside controllers, for example when the servlet
   * logs their parameters.
   */
  @Bean
  RequestRejectedHandler problemsOfFirewall() {
    return (request, response, rejected) ->
        ProblemWriter.write(request, response, HttpStatusProblem.of(400));
  }

  /**
   * Sign-in by name and password does not exist. Without this bean Spring Boot would create a user.
   */
  @Bean
  AuthenticationManager noPasswords() {
    return authentication -> {
      throw new BadCredentialsException("there are no passwords");
    };
  }

  @Bean
  WebMvcConfigurer access(
      Transactions transactions,
      TenantStore tenants,
      JobStore jobs,
      RequestBudgets budgets,
      Denials denials) {
    AccessGuard guard =
        new AccessGuard(
            new Principals(transactions, tenants),
            transactions,
            tenants,
            jobs,
            new ProjectRateLimit(transactions, tenants, budgets),
            new ArchivedTenantGuard(transactions, tenants, System::nanoTime),
            denials);
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(guard).order(BEHIND_CHECKS_OF_PARAMETERS);
      }

      @Override
      public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(guard);
      }
    };
  }
}
