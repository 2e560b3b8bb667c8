package dev.fairlead.people.security;

import dev.fairlead.people.tenant.Principal;
import dev.fairlead.work.attempt.AttemptCredential;
import java.util.List;
import org.springframework.security.authentication.AbstractAuthenticationToken;

/** An authenticated caller, with the name of its request budget. */
final class CallerAuthentication extends AbstractAuthenticationToken {
  private static final long serialVersionUID = 1L;
  private final transient Object caller;
  private final String name;

  private CallerAuthentication(Object caller, String name) {
    super(List.of());
    this.caller = caller;
    this.name = name;
    setAuthenticated(true);
  }

  static CallerAuthentication of(Principal principal) {
    return new CallerAuthentication(principal, principal.home().text() + "/" + principal.name());
  }

  /** An attempt that may act only for itself. All attempts of a job share one budget. */
  static CallerAuthentication of(AttemptCredential attempt) {
    return new CallerAuthentication(attempt, attempt.tenant().text() + "/" + attempt.job().text());
  }

  static CallerAuthentication of(Caller administrator) {
    return new CallerAuthentication(administrator, administrator.name());
  }

  @Override
  public Object getPrincipal() {
    return caller;
  }

  @Override
  public String getCredentials() {
    return "";
  }

  @Override
  public String getName() {
    return name;
  }
}
