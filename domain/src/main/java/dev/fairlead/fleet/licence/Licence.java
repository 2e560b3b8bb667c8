package dev.fairlead.fleet.licence;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something counted that no node has, of which attempts hold no more than there is.
 *
 * @param name a DNS label of at most 63 characters
 * @param count how many there are, 0 to {@value #MOST}; below what is held, nothing new starts that
 *     asks for it
 * @param cluster name of the only cluster on which it can be held; null = on all together
 */
public record Licence(String name, int count, @Nullable String cluster) {
  public static final ConfigType<Licence> DOCUMENTS =
      new ConfigType<>(ConfigKind.LICENCE, Licence.class);

  /** Most of one licence. */
  public static final int MOST = 1_000_000;

  /** Most licences of an installation, and that one job asks for. */
  public static final int KINDS = 200;

  public Licence {
    if (count < 0 || count > MOST) {
      throw new IllegalArgumentException("count " + count);
    }
  }

  /** On all clusters together. */
  public Licence(String name, int count) {
    this(name, count, null);
  }

  /** Whether a job may hold it: of one of a cluster, only jobs that run nowhere else do. */
  public boolean allows(JobSpec spec) {
    return cluster == null || spec.placement().clusters().equals(List.of(cluster));
  }
}
