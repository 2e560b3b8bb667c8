package dev.fairlead.money.statement.service;

import dev.fairlead.money.statement.Statement;

/** Statements as served text. A stored document remains readable. */
public interface StatementDocuments {
  String write(Statement statement);

  /** Reads a document without loss. */
  Statement read(String document);
}
