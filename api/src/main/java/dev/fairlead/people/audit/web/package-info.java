/** The audit over HTTP. */
@NullMarked
package dev.fairlead.people.audit.web;

import org.jspecify.annotations.NullMarked;
