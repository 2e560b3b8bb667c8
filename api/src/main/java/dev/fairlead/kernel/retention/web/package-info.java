/** What an operator sees of retention. */
@NullMarked
package dev.fairlead.kernel.retention.web;

import org.jspecify.annotations.NullMarked;
