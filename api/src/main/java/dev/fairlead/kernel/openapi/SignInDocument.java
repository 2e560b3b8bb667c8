package dev.fairlead.kernel.openapi;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.util.ArrayList;
import java.util.List;
import org.springdoc.core.customizers.OpenApiCustomizer;

/**
 * Enables sign-in in Swagger UI, which reads the addresses of the issuer from this document and
 * sends the access token with each request.
 *
 * @param issuer the OpenID Connect issuer, with or without a trailing slash
 */
record SignInDocument(String issuer) implements OpenApiCustomizer {
  private static final String SCHEME = "sign-in";

  @Override
  public void customise(OpenAPI document) {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    document
        .getComponents()
        .addSecuritySchemes(
            SCHEME,
            new SecurityScheme()
                .type(SecurityScheme.Type.OPENIDCONNECT)
                .openIdConnectUrl(base + "/.well-known/openid-configuration")
                .description("Sign in at " + issuer + ". Select authorization_code with PKCE."));
    document
        .getPaths()
        .values()
        .forEach(path ->
            path.readOperations()
                .forEach(operation -> {
                  List<SecurityRequirement> security = new ArrayList<>(operation.getSecurity());
                  security.add(new SecurityRequirement().addList(SCHEME));
                  operation.setSecurity(security);
                }));
  }
}
