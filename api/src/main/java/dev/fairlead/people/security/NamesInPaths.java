package dev.fairlead.people.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.regex.Pattern;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/**
 * Refuses paths that two readers could read differently. The name of a member may hold slashes
 * ({@code repo:acme/train}), which its path then has as {@code %2F}; nowhere else may it. That a
 * path is the API's is written without escapes: some readers look at it as it was sent.
 */
final class NamesInPaths implements HttpFirewall {
  private static final Pattern MEMBER =
      Pattern.compile("/api/v1/(tenants|projects)/[^/%]+/members/[^/]+");

  private static final String API = "/api/";

  private final HttpFirewall everywhere = anyMethod();
  private final HttpFirewall ofMembers = withSlashes();

  /**
   * An unknown method is answered like any other that is not possible at a path: 405, with Allow.
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
    firewall.setAllowUrlEncodedPercent(
        true); // Tomcat leaves %2F as it is in the path that it decodes
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
