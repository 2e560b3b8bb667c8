package dev.fairlead.kernel.egress;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Networks that the service may call.
 *
 * @param allow private or local networks with clusters, repairers and node provisioners, which
 *     operators configure
 * @param webhooks private or local networks with receivers of webhooks, which owners of projects
 *     configure
 */
@ConfigurationProperties("fairlead.egress")
public record EgressSettings(
    @DefaultValue List<String> allow, @DefaultValue List<String> webhooks) {
  private static final long LOOKUP_SECONDS = 5;

  /**
   * Returns the policy for addresses that operators configure.
   *
   * @throws IllegalArgumentException for a text that is not an address range
   */
  public EgressPolicy operators() {
    return EgressPolicy.of("fairlead.egress.allow", allow, HostLookup.system(LOOKUP_SECONDS));
  }

  /**
   * Returns the policy for addresses that owners of projects configure.
   *
   * @throws IllegalArgumentException for a text that is not an address range
   */
  public EgressPolicy receivers() {
    return EgressPolicy.of("fairlead.egress.webhooks", webhooks, HostLookup.system(LOOKUP_SECONDS));
  }
}
