/** REST endpoints of projects, tenants and the caller's identity. */
@NullMarked
package dev.fairlead.people.project.web;

import org.jspecify.annotations.NullMarked;
