package dev.fairlead.work.placement.preemption;

/**
 * The nodes while running jobs go and come back: told one by one, so that a step costs what it
 * changes and not what went before it.
 */
interface Room {
  void gone(RunningJob job);

  void back(RunningJob job);

  /** Whether the members of the pending job find nodes now. */
  boolean fits();

  /** Where nodes are not the question. */
  Room ENOUGH =
      new Room() {
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
