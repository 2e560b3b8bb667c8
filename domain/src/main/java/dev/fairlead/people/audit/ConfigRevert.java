package dev.fairlead.people.audit;

import dev.fairlead.kernel.problem.Refusal;

/** Takes changes of one kind back, by the command that people change such things with. */
public interface ConfigRevert {
  ConfigKind kind();

  /**
   * In the open transaction, as the actor of the request and with its permission.
   *
   * @throws Refusal NOT_FOUND when it is not there any more, VERSION_MISMATCH when it was changed
   *     since, ILLEGAL_STATE when it cannot be taken back, and what the command refuses
   */
  void revert(RevertRequest request);
}
