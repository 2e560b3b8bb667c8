package dev.fairlead.verify.simulation.work;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A licence that every fourth job holds. An operator lowers its count for a while. */
public final class LicenceArea implements Area {
  static final String NAME = "ansys";

  private final RandomGenerator chance;
  private final DurableState durable;
  private final int most;
  private final Set<AttemptId> known = new HashSet<>();
  private int count;
  private @Nullable String broken;

  public LicenceArea(RandomGenerator chance, DurableState durable, JobClients clients) {
    this.chance = chance;
    this.durable = durable;
    this.most = 1 + chance.nextInt(4);
    clients.licensed();
    set(most);
    durable.afterAttempts(this::follow);
  }

  private void set(int next) {
    count = next;
    ConfigDocument<Licence> _ = durable.world().put(new Licence(NAME, next));
  }

  /** Follows one commit: a start must find its licences free. */
  private void follow() {
    int held = 0;
    boolean started = false;
    for (Attempt attempt : durable.stores().jobs().live()) {
      int asked =
          durable
              .stores()
              .jobs()
              .findAll(List.of(attempt.job()))
              .getFirst()
              .spec()
              .licences()
              .getOrDefault(NAME, 0);
      held += asked;
      started |= known.add(attempt.id()) && asked > 0;
    }
    if (started && held > count) {
      broken = Objects.requireNonNullElse(broken, held + " of " + count);
    }
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.LICENCE_LOWERED);
  }

  @Override
  public Runnable strike(Fault fault) {
    set(chance.nextInt(most + 1));
    return () -> set(most);
  }

  @Override
  public void check() {
    if (broken != null) {
      throw new InvariantBroken(Invariant.LICENCES_SUFFICE, broken);
    }
  }
}
