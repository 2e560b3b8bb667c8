/** Monthly statements over HTTP. */
@NullMarked
package dev.fairlead.statement.web;

import org.jspecify.annotations.NullMarked;
