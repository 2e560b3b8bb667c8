package dev.fairlead.verify.load.launch;

import java.io.IOException;

/** Brings pods to Running on a separate control plane. */
interface LaunchContender {
  /**
   * @param pods pods of one GPU each, as many as fit
   * @throws IllegalStateException when not all of them ran
   */
  LaunchRun launch(int nodes, int pods) throws IOException, InterruptedException;
}
