package dev.fairlead.people.audit;

import dev.fairlead.kernel.problem.Refusal;

/** Reverts changes of one kind, using the regular command for such changes. */
public interface ConfigRevert {
  ConfigKind kind();

  /**
   * Reverts a change in the open transaction, as the actor of the request and with its permission.
   *
   * @throws Refusal NOT_FOUND if the object no longer exists, VERSION_MISMATCH if it was changed
   *     since, ILLEGAL_STATE if it cannot be reverted, and the refusals of the command
   */
  void revert(RevertRequest request);
}
