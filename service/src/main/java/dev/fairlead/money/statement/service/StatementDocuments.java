package dev.fairlead.money.statement.service;

import dev.fairlead.money.statement.Statement;

/** Statements as the text that is served. What was written once can be read for good. */
public interface StatementDocuments {
  String write(Statement statement);

  /** What a document says, in every detail. */
  Statement read(String document);
}
