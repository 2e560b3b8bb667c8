package dev.fairlead.e2e;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.server.authorization.authentication.OAuth2ClientAuthenticationToken;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;

/**
 * A client without a secret at endpoints without PKCE: device flow, renewal and revocation. Other
 * issuers permit public clients at this endpoint. This issuer has to be configured.
 */
final class OpenClient extends OAuth2ClientAuthenticationToken {
  private static final long serialVersionUID = 1L;

  private OpenClient(String id) {
    super(id, ClientAuthenticationMethod.NONE, null, Map.of());
  }

  static @Nullable Authentication of(HttpServletRequest request) {
    String id = request.getParameter("client_id");
    return id == null
            || request.getHeader("Authorization") != null
            || request.getParameter("code_verifier") != null
        ? null
        : new OpenClient(id);
  }

  /** Admits registered public clients. */
  record Provider(RegisteredClientRepository clients) implements AuthenticationProvider {
    @Override
    public Authentication authenticate(Authentication asking) {
      RegisteredClient client = clients.findByClientId(String.valueOf(asking.getPrincipal()));
      if (client == null
          || !client.getClientAuthenticationMethods().contains(ClientAuthenticationMethod.NONE)) {
        throw new OAuth2AuthenticationException("invalid_client");
      }
      return new OAuth2ClientAuthenticationToken(client, ClientAuthenticationMethod.NONE, null);
    }

    @Override
    public boolean supports(Class<?> type) {
      return type == OpenClient.class;
    }
  }
}
