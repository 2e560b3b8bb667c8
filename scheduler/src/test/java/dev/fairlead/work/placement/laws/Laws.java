package dev.fairlead.work.placement.laws;

import dev.fairlead.work.placement.DividingScene;
import dev.fairlead.work.placement.FragmentedScene;
import dev.fairlead.work.placement.LendingScene;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** All laws in print order. */
final class Laws {
  private static final LongFunction<World> SLICED = seed -> RandomScene.sliced(seed, 20);

  static final List<Law> ALL =
      List.of(
          new Law("nothing-exceeded", new Bounds()),
          new Law("non-preemptible-within-nominal", new NonPreemptibleWithinNominal()),
          new Law("whole-gangs", new WholeGangs()),
          new Law("any-order-same-plan", new SameForAnyOrder()),
          new Law("kept-same-plan", new SamePlanWithMemory()),
          new Law("torn-rows", new TornRows()),
          new Law("steady", new Steady()),
          new Law("more-never-harms", new MoreNeverHarms()),
          new Law("priority-helps", new PriorityHelps()),
          new Law("models-apart", new ModelsApart()),
          new Law("explained", new Explained()),
          new Law("true-near-misses", new TrueNearMisses()),
          new Law("bad-nodes-avoided", new BadNodesAvoided()),
          new Law("victims-needed", new VictimsNeeded(), RandomScene::crowded),
          new Law(
              "non-preemptible-places", new NonPreemptibleWithinNominal(), RandomScene::crowded),
          new Law("victims-warned", new VictimsWarned(), RandomScene::crowded),
          new Law("place-kept", new PlaceKept(), RandomScene::crowded),
          new Law("no-turn-about", new NoTurnAbout(), RandomScene::crowded),
          new Law("pending-first", new PendingFirst(), Elastic::world),
          new Law("no-flapping", new NoFlapping(), RandomScene::crowded),
          new Law("grown-whole", new WholeGangs(), Elastic::world),
          new Law("reclaim-in-time", new ReclaimInTime(), LendingScene::world),
          new Law("lending-warned", new VictimsWarned(), LendingScene::world),
          new Law("dividing-warned", new VictimsWarned(), DividingScene::world),
          new Law("only-the-undeserved", new OnlyTheUndeserved(), DividingScene::world),
          new Law("dividing-ends", new NoTurnAbout(), DividingScene::world),
          new Law("consolidated", new Consolidated(), FragmentedScene::world),
          new Law("pools-kept", new PoolsKept(), Pooled::world),
          new Law("pools-any-order", new SameForAnyOrder(), Pooled::world),
          new Law("pools-same-plan", new SamePlanWithMemory(), Pooled::world),
          new Law("pools-not-exceeded", new Bounds(), Pooled::world),
          new Law("pools-explained", new Explained(), Pooled::world),
          new Law("tiers-kept", new TiersKept(), Routed::world),
          new Law("tiers-any-order", new SameForAnyOrder(), Routed::world),
          new Law("tiers-same-plan", new SamePlanWithMemory(), Routed::world),
          new Law("tiers-explained", new Explained(), Routed::world),
          new Law("reservations-kept", new AdvanceReservationsKept(), Booked::world),
          new Law("reservations-any-order", new SameForAnyOrder(), Booked::world),
          new Law("reservations-same-plan", new SamePlanWithMemory(), Booked::world),
          new Law("reservations-not-exceeded", new Bounds(), Booked::world),
          new Law("reservations-explained", new Explained(), Booked::world),
          new Law("reservations-near-misses", new TrueNearMisses(), Booked::world),
          new Law("neighbours-kept", new NeighboursKept(), Named::world),
          new Law("neighbours-any-order", new SameForAnyOrder(), Named::world),
          new Law("neighbours-same-plan", new SamePlanWithMemory(), Named::world),
          new Law("slices-not-exceeded", new Bounds(), SLICED),
          new Law("slices-any-order", new SameForAnyOrder(), SLICED),
          new Law("slices-steady", new Steady(), SLICED),
          new Law("slices-never-harmed", new MoreNeverHarms(), SLICED),
          new Law("slices-explained", new Explained(), SLICED));

  private Laws() {}

  /** A law broken by a world. */
  record Broken(Law law, long seed, String how, World smallest) {
    String text() {
      return "law %s is broken by seed %d: %s%nthe smallest world found:%n%s"
          .formatted(law.name(), seed, how, Story.of(smallest));
    }
  }

  /** Judges the world of a seed, and on request shrinks a world that breaks the law. */
  static Optional<Broken> judge(Law law, long seed, boolean shrink) {
    World world = law.worlds().apply(seed);
    if (law.broken(world, seed).isEmpty()) {
      return Optional.empty();
    }
    World smallest =
        shrink ? Shrinking.smallest(world, w -> law.broken(w, seed).isPresent()) : world;
    return Optional.of(new Broken(law, seed, law.broken(smallest, seed).orElseThrow(), smallest));
  }
}
