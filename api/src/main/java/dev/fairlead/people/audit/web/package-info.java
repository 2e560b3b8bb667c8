/** REST endpoints of the audit and of the history of the configuration. */
@NullMarked
package dev.fairlead.people.audit.web;

import org.jspecify.annotations.NullMarked;
