package dev.fairlead.bench.fgd;

import dev.fairlead.placement.ledger.ClusterRoom;
import dev.fairlead.placement.ledger.NodeChoice;
import dev.fairlead.placement.score.BestFitScore;
import dev.fairlead.placement.score.FragmentationScore;
import dev.fairlead.placement.score.Scorer;
import dev.fairlead.placement.score.ShapeMix;
import dev.fairlead.placement.score.SpreadScore;
import java.util.Random;

/** The engine's policies that are compared. */
enum Policy {
  DEFAULT("default") {
    @Override
    NodeChoice on(ClusterRoom cluster, ShapeMix mix, long seed) {
      return Scorer.by(new FragmentationScore(cluster.rooms(), mix), cluster);
    }
  },
  BEST_FIT("best-fit") {
    @Override
    NodeChoice on(ClusterRoom cluster, ShapeMix mix, long seed) {
      return Scorer.by(new BestFitScore(), cluster);
    }
  },
  SPREAD("spread") {
    @Override
    NodeChoice on(ClusterRoom cluster, ShapeMix mix, long seed) {
      return Scorer.by(new SpreadScore(), cluster);
    }
  },
  RANDOM("random") {
    @Override
    NodeChoice on(ClusterRoom cluster, ShapeMix mix, long seed) {
      return Scorer.random(cluster, new Random(seed));
    }
  };

  private final String text;

  Policy(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  abstract NodeChoice on(ClusterRoom cluster, ShapeMix mix, long seed);
}
