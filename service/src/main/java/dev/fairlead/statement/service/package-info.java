/** Reads and signs monthly statements. */
@NullMarked
package dev.fairlead.statement.service;

import org.jspecify.annotations.NullMarked;
