/** REST endpoints of monthly statements. */
@NullMarked
package dev.fairlead.money.statement.web;

import org.jspecify.annotations.NullMarked;
