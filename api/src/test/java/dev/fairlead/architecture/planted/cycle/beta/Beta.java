package dev.fairlead.architecture.planted.cycle.beta;

import dev.fairlead.architecture.planted.cycle.alpha.Alpha;

public class Beta {
  public Alpha alpha;
}
