package dev.fairlead.front;

/** The request of a Job. */
public sealed interface FrontRequest {
  /**
   * A job spec as users submit it, without its name.
   *
   * @param json an object
   */
  record Document(String json) implements FrontRequest {}

  /**
   * A job spec cannot express the field.
   *
   * @param field path in the Job
   */
  record Inexpressible(String field, String why) implements FrontRequest {}
}
