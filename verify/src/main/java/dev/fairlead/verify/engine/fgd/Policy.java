package dev.fairlead.verify.engine.fgd;

import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.NodeChoice;
import dev.fairlead.work.placement.score.BestFitScore;
import dev.fairlead.work.placement.score.FragmentationScore;
import dev.fairlead.work.placement.score.FragmentationScore.Prices;
import dev.fairlead.work.placement.score.Scorer;
import dev.fairlead.work.placement.score.ShapeMix;
import dev.fairlead.work.placement.score.SpreadScore;
import java.util.Random;

/** The compared policies of the engine. */
enum Policy {
  DEFAULT("default") {
    @Override
    NodeChoice on(ClusterCapacity cluster, ShapeMix mix, long seed) {
      return fragmentation(cluster, mix, Prices.DEFAULT);
    }
  },
  AS_PUBLISHED("as-published") {
    @Override
    NodeChoice on(ClusterCapacity cluster, ShapeMix mix, long seed) {
      return fragmentation(cluster, mix, new Prices(0, 0, 0));
    }
  },
  BEST_FIT("best-fit") {
    @Override
    NodeChoice on(ClusterCapacity cluster, ShapeMix mix, long seed) {
      return Scorer.by(new BestFitScore(), cluster);
    }
  },
  SPREAD("spread") {
    @Override
    NodeChoice on(ClusterCapacity cluster, ShapeMix mix, long seed) {
      return Scorer.by(new SpreadScore(), cluster);
    }
  },
  RANDOM("random") {
    @Override
    NodeChoice on(ClusterCapacity cluster, ShapeMix mix, long seed) {
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

  private static NodeChoice fragmentation(ClusterCapacity cluster, ShapeMix mix, Prices prices) {
    return Scorer.by(new FragmentationScore(cluster.capacities(), mix, prices), cluster);
  }

  abstract NodeChoice on(ClusterCapacity cluster, ShapeMix mix, long seed);
}
