package dev.fairlead.architecture.planted.entity;

@interface Query {
  String value() default "";

  boolean nativeQuery() default false;
}
