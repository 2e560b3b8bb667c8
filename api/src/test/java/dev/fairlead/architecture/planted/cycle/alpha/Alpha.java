package dev.fairlead.architecture.planted.cycle.alpha;

import dev.fairlead.architecture.planted.cycle.beta.Beta;

public class Alpha {
  public Beta beta;
}
