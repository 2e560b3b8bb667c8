package dev.fairlead.people.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.regex.Pattern;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/**
 * Refuses ambiguous paths. Only the name of a member may contain slashes ({@code repo:acme/train}),
 * encoded as {@code %2F} in its path. The API prefix of a path must be written without escapes,
 * because some filters read the path as it was sent.
 */
final class PathEncodingGuard implements HttpFirewall {
  private static final Pattern MEMBER =
      Pattern.compile("/api/v1/(tenants|projects)/[^/%]+/members/[^/]+");

  private static final String API = "/api/";

  private final HttpFirewall everywhere = anyMethod();
  private final HttpFirewall ofMembers = withSlashes();

  /**
   * An unknown method has the same response as any other method that a path does not support: 405,
   * with Allow.
   */
  private static StrictHttpFirewall anyMethod() {
    StrictHttpFirewall firewall = new StrictHttpFirewall();
    firewall.setUnsafeAllowAnyHttpMethod(true);
    return firewall;
  }

  private static StrictHttpFirewall withSlashes() {
    StrictHttpFirewall firewall = anyMethod();
    firewall.setAllowUrlEncodedSlash(true);
    firewall.setAllowUrlEncodedDoubleSlash(true);
    firewall.setAllowUrlEncodedPercent(true); // Tomcat does not decode %2F in a path
    return firewall;
  }

  @Override
  public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
    String sent = request.getRequestURI();
    if (request.getServletPath().startsWith(API) && !sent.startsWith(API)) {
      throw new RequestRejectedException("the path begins with " + API + " in escapes");
    }
    boolean member = MEMBER.matcher(sent).matches();
    return (member ? ofMembers : everywhere).getFirewalledRequest(request);
  }

  @Override
  public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
    return everywhere.getFirewalledResponse(response);
  }
}
