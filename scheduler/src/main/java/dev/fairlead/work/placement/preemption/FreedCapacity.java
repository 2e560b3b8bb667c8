package dev.fairlead.work.placement.preemption;

/**
 * The nodes while running jobs leave and return. Changes are reported one by one, so a step costs
 * only its own change.
 */
interface FreedCapacity {
  void gone(RunningJob job);

  void back(RunningJob job);

  /** Returns whether the members of the pending job find nodes now. */
  boolean fits();

  /** Used if nodes do not matter. */
  FreedCapacity ENOUGH =
      new FreedCapacity() {
        @Override
        public void gone(RunningJob job) {}

        @Override
        public void back(RunningJob job) {}

        @Override
        public boolean fits() {
          return true;
        }
      };
}
