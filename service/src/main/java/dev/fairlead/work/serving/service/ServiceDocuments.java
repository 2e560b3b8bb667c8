package dev.fairlead.work.serving.service;

import dev.fairlead.people.tenant.Actor;

/** Reads service files. */
public interface ServiceDocuments {
  /**
   * Reads the file like an apply.
   *
   * @param json an object
   * @throws dev.fairlead.kernel.problem.Refusal for an invalid file
   */
  AppliedService read(Actor actor, ModelServices.Name name, String json);
}
