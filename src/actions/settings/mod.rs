//! Settings: the stored sections, the departments, the ones in force, the secrets of integrations.

pub mod department_list;
pub mod departments;
pub mod in_force;
pub mod secrets;
pub mod sections;
