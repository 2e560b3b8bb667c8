/** What an operator sees of retention. */
@NullMarked
package dev.fairlead.retention.web;

import org.jspecify.annotations.NullMarked;
