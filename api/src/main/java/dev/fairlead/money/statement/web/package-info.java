/** Monthly statements over HTTP. */
@NullMarked
package dev.fairlead.money.statement.web;

import org.jspecify.annotations.NullMarked;
