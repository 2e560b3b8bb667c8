package dev.fairlead.kernel.loop;

import jakarta.validation.constraints.NotEmpty;
import java.util.Locale;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Configures the roles of this process.
 *
 * @param roles roles with the loops that it runs
 */
@Validated
@ConfigurationProperties("fairlead")
record ProcessSettings(
    @DefaultValue({"api", "scheduler", "supervisor", "background"})
        @NotEmpty(message = "must name at least one role. Remove the setting for all roles.")
        Set<Role> roles) {
  /** A role of a process. {@link Loop#role} is its name in lower case. */
  enum Role {
    API,
    SCHEDULER,
    SUPERVISOR,
    BACKGROUND,
    GATE
  }

  /** Returns whether the process runs the loops of this role. */
  boolean runs(String role) {
    return roles.stream().anyMatch(each -> each.name().toLowerCase(Locale.ROOT).equals(role));
  }
}
