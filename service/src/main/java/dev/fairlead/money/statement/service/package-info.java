/** Reads and signs monthly statements. */
@NullMarked
package dev.fairlead.money.statement.service;

import org.jspecify.annotations.NullMarked;
